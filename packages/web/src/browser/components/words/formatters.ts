/** Creates an `Intl` formatter. */
type Make<Options, Formatter> = (language: string, options: Options | undefined) => Formatter;

/**
 * Caches the formatters that a function creates. Browsers need longer to create a formatter than to use it a hundred
 * times, and a page of results formats a thousand dates and prices.
 */
function kept<Options, Formatter>(make: Make<Options, Formatter>) {
  const known = new Map<string, Formatter>();
  return (language: string, options?: Options): Formatter => {
    const key = `${language} ${JSON.stringify(options)}`;
    const formatter = known.get(key) ?? make(language, options);
    known.set(key, formatter);
    return formatter;
  };
}

/** Returns the date formatter for a language and options. Equal arguments return the same formatter. */
export const dateFormat = kept<Intl.DateTimeFormatOptions, Intl.DateTimeFormat>(
  (language, options) => new Intl.DateTimeFormat(language, options),
);

/** Returns the number formatter for a language and options. Equal arguments return the same formatter. */
export const numberFormat = kept<Intl.NumberFormatOptions, Intl.NumberFormat>(
  (language, options) => new Intl.NumberFormat(language, options),
);

/** Returns the rules of a language for singular and plural. Equal arguments return the same rules. */
export const pluralRules = kept<Intl.PluralRulesOptions, Intl.PluralRules>(
  (language, options) => new Intl.PluralRules(language, options),
);
