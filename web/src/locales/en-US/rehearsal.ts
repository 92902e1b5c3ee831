/** Rehearsals of settings and policies. */
export const rehearsal = {
  title: "Rehearsal",
  sum_one: "In the last {{days}} days: {{would}} notifications instead of {{count}}",
  sum_other: "In the last {{days}} days: {{would}} notifications instead of {{count}}",
  same: "No difference from what was sent.",
  changes: "{{added}} more, {{removed}} fewer",
  list: "Differences",
  added: "Added",
  removed: "Dropped",
  first_one: "The first {{shown}} of {{count}} differences",
  first_other: "The first {{shown}} of {{count}} differences",
};
