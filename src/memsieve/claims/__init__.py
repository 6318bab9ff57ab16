from memsieve.claims.compare import conflict

__all__ = ["conflict"]
