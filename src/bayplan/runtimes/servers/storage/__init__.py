"""Where the files of models come from."""
