"""A simulated fleet: the kubelets of all Nodes whose runtime is `simulated`, in one process and on any clock."""
