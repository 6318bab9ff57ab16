from memsieve.model import Reason


def find_conflict(a: str, b: str) -> Reason | None:
    """Return how two texts about the same thing differ in what they claim; None when they agree."""
    # Imported on first use: a query compares no claims, and need not wait for the rules.
    from memsieve.claims.compare import find_conflict as find

    return find(a, b)
