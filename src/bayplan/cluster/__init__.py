"""What can host work, and who holds it: the nouns, the columnar snapshot and the ledger."""
