"""The Vendure test bed: the back office of a shop, an Angular page that speaks GraphQL."""
