"""Models onto servers that hold many of them: which server replicas a model gets, and how far it is."""
