"""Make the bundled models' vocabulary, word vectors and encoder. README.md says how."""
