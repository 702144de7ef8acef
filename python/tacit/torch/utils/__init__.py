"""Names that users of Opacus import from here."""
