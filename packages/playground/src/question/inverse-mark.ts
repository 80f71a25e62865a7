/** What stands behind the label of an inverse relation; by its first character, which shows nothing, it does so behind Arabic and Hebrew as well. */
export const inverseMark = '\u200e (reversed)';
