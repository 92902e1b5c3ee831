import * as z from "zod";
import { id } from "../http/envelope.ts";
import {
  acceptInviteInput,
  checkInviteAnswer,
  checkInviteInput,
  createInviteInput,
  invitesAnswer,
  newInviteAnswer,
} from "../http/invites.ts";
import { loginFrom, opened } from "./auth.ts";
import { contract, nothing } from "./contract.ts";

/** Invites, owned by auth. */
export const invitesContract = contract("invites", {
  // `site`: address of Sonde for the link.
  createInvite: {
    input: createInviteInput.extend({ site: z.string(), language: z.enum(["zh-CN", "en-US"]) }),
    answer: newInviteAnswer.pick({ invite: true, url: true, mail: true }),
  },
  listInvites: { input: nothing, answer: invitesAnswer.pick({ invites: true, total: true }) },
  deleteInvite: { input: z.object({ id }), answer: nothing },
  checkInvite: {
    input: checkInviteInput.extend({ address: loginFrom.address }),
    answer: checkInviteAnswer.omit({ success: true, message: true }),
  },
  // not_found: unknown, used, revoked or expired
  acceptInvite: { input: acceptInviteInput.extend(loginFrom), answer: opened },
});
