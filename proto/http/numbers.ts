import * as z from "zod";
import type { Message } from "./messages.ts";

/** A whole number within limits. The message may name both limits: an issue of zod's own checks knows only the one that it is of. */
export const wholeNumber = (min: number, max: number, message: Message) =>
  z
    .number()
    .superRefine((value, ctx) => {
      if (Number.isInteger(value) && value >= min && value <= max) return;
      ctx.addIssue({ code: "custom", message, params: { min, max } });
    })
    .meta({ type: "integer", minimum: min, maximum: max });
