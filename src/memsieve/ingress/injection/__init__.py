from memsieve.ingress.injection.find import QUOTE_LENGTH, Injection, check, find_injection

__all__ = ["QUOTE_LENGTH", "Injection", "check", "find_injection"]
