"""A council of three agents that debates, is recorded and reviewed, and remembers in its next session."""
