"""Where a placed replica really runs: processes of a worker."""
