import * as z from "zod";
import { wholeNumber } from "../../numbers.ts";
import { inboundFacts, inboundFormats } from "../inbound.ts";
import { kind } from "./kind.ts";

export const maxCloseAfter = 10_080;

/** Other systems send their alerts to its address; each firing alert is an incident. No probe runs. */
export const inbound = kind({
  type: "inbound",
  passive: true,
  facts: inboundFacts,
  fields: {
    format: z.enum(inboundFormats).meta({ description: "Format of the requests to its address." }),
    closeAfter: wholeNumber(1, maxCloseAfter, "Enter a whole number of minutes from {min} to {max}").optional().meta({
      description:
        "Closes the incident of an alert that the source has not repeated for this many minutes. If absent, only the source closes it.",
    }),
  },
  target: ({ format }) => format,
});
