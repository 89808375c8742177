# Classes of `types` beside those that are built in.
