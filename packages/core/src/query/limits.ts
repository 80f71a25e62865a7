/** How deep a query read from outside may be nested; beyond it readers refuse instead of overflowing the stack. */
export const maxQueryDepth = 64;

/** How many operators and anchors a query read from outside may have. */
export const maxQueryNodes = 1024;
