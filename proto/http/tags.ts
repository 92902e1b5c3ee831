import * as z from "zod";
import { nameOf } from "./text.ts";

const tagLength = "A tag must have 1 to {max} characters";
export const tag = nameOf(40, tagLength, tagLength);

export const maxTagsPerTarget = 20;
/** Unique tags of a monitor or agent. */
export const tags = z
  .array(tag)
  .max(maxTagsPerTarget, "At most {max} tags are allowed")
  .overwrite((all) => [...new Set(all)]);
