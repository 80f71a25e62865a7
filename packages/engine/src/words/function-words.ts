/** Words by which questions are put together. */
export const functionWords: ReadonlySet<string> = new Set(
  `a all an and any are as at belong belongs both but by count do does each either find from give has have how in is it its lie lies list
  located many me name not number of on one or other's other same share shares show tell that the their there to what where which who whose
  with 's`.split(/\s+/),
);
