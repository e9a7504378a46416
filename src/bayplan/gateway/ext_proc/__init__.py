"""The endpoint picker protocol: Envoy's external processing (v3) between a gateway and the router."""
