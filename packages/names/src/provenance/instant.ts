const form =
  /^(-?\d{4,6})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?)?)?(Z|[+-]\d{2}:?\d{2})?$/;

/**
 * The beginning of a year, a month or a day, or a time, in seconds since 1970; undefined for any other text.
 *
 * `2001`, `2001-05`, `2001-05-31`, `2001-05-31T10:00Z`. Without a zone a text is in UTC; parts of a second do not count.
 */
export function instantOf(text: string): number | undefined {
  const [found, ...parts] = form.exec(text.trim()) ?? [];
  if (found === undefined) return undefined;
  const [year = 0, month = 1, day = 1, hours = 0, minutes = 0, seconds = 0] = parts
    .slice(0, 6)
    .map((part) => (part === undefined ? undefined : Number(part)));
  const isDay = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
  if (!isDay || hours > 24 || minutes > 59 || seconds > 59) return undefined;
  const [, sign, zoneHours = 0, zoneMinutes = 0] = /^([+-])(\d{2}):?(\d{2})$/.exec(parts[6] ?? '') ?? [];
  const ahead = (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === '-' ? -1 : 1);
  return ((daysBefore(year, month) + day - 1) * 24 + hours) * 3600 + (minutes - ahead) * 60 + seconds;
}

const daysOfMonths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function daysIn(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return daysOfMonths[month - 1]! + (month === 2 && isLeap ? 1 : 0);
}

/** Days from 1970 to the first day of a month, by the calendar of today. */
function daysBefore(year: number, month: number): number {
  const before = year - 1;
  const leaps = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400);
  let days = 365 * before + leaps - 719_162;
  for (let each = 1; each < month; each++) days += daysIn(year, each);
  return days;
}
