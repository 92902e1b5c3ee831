import { inviteHours } from "@sonde/proto/http/invites";
import { type Language, translate } from "@sonde/proto/http/messages";

/** Subject and text of the mail with an invite's link. */
export function mailOf(url: string, username: string, language: Language): { subject: string; text: string } {
  const lines = [
    translate("{username} invites you to Sonde, which monitors websites, APIs and servers.", language, { username }),
    translate("Open this link within {hours} hours to create your account. It works once:", language, {
      hours: inviteHours,
    }),
    url,
  ];
  return { subject: translate("Your invitation to Sonde", language), text: lines.join("\n\n") };
}
