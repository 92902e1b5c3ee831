import * as z from "zod";
import type { Message } from "./messages.ts";

/**
 * A whole number within limits. The message can contain both limits; an issue from zod's own checks only knows the
 * violated one.
 */
export const wholeNumber = (min: number, max: number, message: Message) =>
  z
    .number()
    .superRefine((value, ctx) => {
      if (Number.isInteger(value) && value >= min && value <= max) return;
      ctx.addIssue({ code: "custom", message, params: { min, max } });
    })
    .meta({ type: "integer", minimum: min, maximum: max });
