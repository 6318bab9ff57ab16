"""Memory systems that are compared, each behind the same two verbs: record and ask."""
