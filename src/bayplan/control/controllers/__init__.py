"""Controllers: they turn pools, jobs, groups, Deployments, StatefulSets and Jobs into Pods, and keep statuses."""
