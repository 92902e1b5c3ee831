import * as z from "zod";
import { tag } from "../../tags.ts";
import { groupFacts, maxMembers } from "../groups.ts";
import { kind } from "./kind.ts";

/** Several monitors as one. Its state follows from those of its members. No probe runs. */
export const group = kind({
  type: "group",
  passive: true,
  facts: groupFacts,
  fields: {
    members: z
      // In the plan of a configuration document, monitors that do not exist yet have negative IDs.
      .array(z.int())
      .max(maxMembers, "A group can have at most {max} members")
      .overwrite((ids) => [...new Set(ids)])
      .default([])
      .meta({ description: "IDs of monitors, which may be groups." }),
    tag: tag.optional().meta({
      description: "Alternative to `members`: all monitors with this tag are members, except groups.",
    }),
    need: z
      .union([z.enum(["all", "any"]), z.int().min(1).max(maxMembers)])
      .default("all")
      .meta({ description: "Members that must be up; with fewer, the group is down." }),
    notifyMembers: z.boolean().default(true).meta({
      description: "If false, incidents of members send no alerts of their own, only those of the group.",
    }),
  },
  faults: ({ members, tag, need }) => {
    if ((members.length === 0) === (tag === undefined))
      return [{ path: tag === undefined ? "members" : "tag", message: "Choose either members or a tag" }];
    return tag === undefined && typeof need === "number" && need > members.length
      ? [{ path: "need", message: "A group cannot need more members than it has" }]
      : [];
  },
  target: ({ members, tag, need }) => `${need} of ${tag === undefined ? members.length : `#${tag}`}`,
});
