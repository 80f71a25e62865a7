"""Rivals of FuzzQE on the same queries, written from their papers: CQD-beam and QTO on ComplEx-N3; GQE, Query2Box and BetaE. And FuzzQE's own form, studied."""
