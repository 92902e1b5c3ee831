import { trimmedLine } from "../../../text.ts";
import { channel, requiredText, hostAt, httpUrl, originOf } from "../channel.ts";

/** A Matrix room, with the access token of a member. */
export const matrix = channel({
  type: "matrix",
  fields: {
    homeserverUrl: httpUrl(),
    accessToken: requiredText(2000),
    roomId: trimmedLine().regex(/^![^\s:]{1,200}(?::[^\s]{1,200})?$/, "This is not a valid room ID"),
  },
  form: [
    { name: "homeserverUrl", input: "url", placeholder: "https://matrix.example.com" },
    { name: "roomId", input: "text", placeholder: "!abc:example.com" },
    { name: "accessToken", input: "secret" },
  ],
  hosts: ({ homeserverUrl }) => hostAt("homeserverUrl", homeserverUrl),
  audience: ({ homeserverUrl }) => originOf(homeserverUrl),
});
