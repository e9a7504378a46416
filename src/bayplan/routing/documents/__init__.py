"""Documents of routing: Route and RouteList, as the contract has them."""
