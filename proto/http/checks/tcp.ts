import { textOf } from "../text.ts";
import { host, hostAndPort, port } from "./fields.ts";
import { kind } from "./kind.ts";

const tooLong = "The text is too long (at most {max} characters)";
const maxText = 4096;

/** A TCP port that accepts connections, and answers as expected where something is. */
export const tcp = kind({
  type: "tcp",
  fields: {
    host,
    port,
    send: textOf({ max: maxText }, { max: tooLong }).optional().meta({
      description: "Sent once the connection is open, as it stands.",
    }),
    expect: textOf({ min: 1, max: maxText }, { min: "Please enter text", max: tooLong }).optional().meta({
      description: "Must occur within the first 4 KiB of what the host sends.",
    }),
  },
  target: (check) => `tcp://${hostAndPort(check.host, check.port)}`,
  hosts: (check) => [{ path: "host", value: check.host }],
});
