"""Cards whose links matter: sets that are near enough to each other."""
