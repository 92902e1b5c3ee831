import { wholeNumber } from "../../numbers.ts";
import { host, hostAndPort, port } from "./fields.ts";
import { kind } from "./kind.ts";

/** An NTP server that is synchronised and has the correct time. */
export const ntp = kind({
  type: "ntp",
  fields: {
    host,
    port: port.default(123),
    maxOffset: wholeNumber(1, 3_600_000, "Enter the offset as a whole number of milliseconds from {min} to {max}")
      .default(1000)
      .meta({ description: "Maximum difference from the probe runner's clock, in milliseconds." }),
  },
  target: (check) => `ntp://${hostAndPort(check.host, check.port)}`,
  hosts: (check) => [{ path: "host", value: check.host }],
});
