def conflict(a: str, b: str) -> str | None:
    """Say how two texts about the same thing differ in what they claim; None when they agree."""
    # Imported on first use: a query compares no claims, and need not wait for the rules.
    from memsieve.claims.compare import conflict as difference

    return difference(a, b)
