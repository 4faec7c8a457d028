"""Research reports: attention pictures, kinds of mistakes, error reports (paper, §III-B and C)."""
