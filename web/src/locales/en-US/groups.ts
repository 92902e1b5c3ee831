/** Form and page of a group. Field labels are in `entities/kinds/forms/group.ts`. */
export const groups = {
  members: "Members",
  membersOf: "Members of {{name}}",
  none: "No members",
  more: "Only the first {{count}} members are shown.",
  upOf: "{{up}} of {{count}} up",
  needed: "{{count}} must be up",
  ignored: ", {{count}} not counted",
  exact: "Exact by time, not by checks",
  by: "Choose members",
  byMembers: "One by one",
  byTag: "By tag",
  number: "A number of members",
  count: "Number of members",
} as const;
