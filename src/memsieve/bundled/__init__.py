"""What the bundled models share: one vocabulary, one table of word vectors, one way to run a graph."""
