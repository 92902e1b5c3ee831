const styles = new Map<string, Intl.DateTimeFormat>();

function styleOf(language: string, timeZone: string | undefined, withYear: boolean): Intl.DateTimeFormat {
  const key = `${language} ${timeZone} ${withYear}`;
  const known = styles.get(key);
  if (known !== undefined) return known;
  const day = withYear ? ({ dateStyle: "medium" } as const) : ({ month: "short", day: "numeric" } as const);
  const style = new Intl.DateTimeFormat(language, { ...day, timeZone });
  styles.set(key, style);
  return style;
}

/** Day and month of an instant in a zone (IANA), or of the reader's own clock. */
export function formatLocalDay(at: string | number | Date, language: string, timeZone?: string): string {
  return styleOf(language, timeZone, false).format(new Date(at));
}

/** The same with its year. */
export function formatLocalDate(at: string | number | Date, language: string, timeZone?: string): string {
  return styleOf(language, timeZone, true).format(new Date(at));
}

/** The reader's time zone, as the server is asked for days; UTC where the browser does not know. */
export function ownTimeZone(): string {
  const zone: string | undefined = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zone === undefined || zone === "Etc/Unknown" ? "UTC" : zone;
}
