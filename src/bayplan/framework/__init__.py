"""What a scheduler is: tables, plugins, profiles, handlers, outcomes. Knows no GPU, no request, no Kubernetes."""
