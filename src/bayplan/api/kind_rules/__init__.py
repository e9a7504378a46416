"""What Kubernetes demands of single kinds beyond their schemas: fields that cannot change, and what a server adds."""
