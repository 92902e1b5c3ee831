/**
 * The shape of a translation: every key of the English catalogue, each with a text of its own. A key that is missing, or one
 * too many, fails the type check and with it the build.
 */
export type Translated<Words> = {
  readonly [Key in keyof Words]: Words[Key] extends string ? string : Translated<Words[Key]>;
};
