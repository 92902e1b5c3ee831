import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { useTranslation } from "react-i18next";
import { toast } from "../../ui/alert.tsx";
import { Button, type ButtonSize, type ButtonVariant } from "../../ui/button.tsx";
import { CheckIcon } from "../../ui/icons.tsx";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { errorText } from "../../app/errors.ts";
import { useSession } from "../../app/hooks.ts";
import { useUndo } from "../../app/undo.ts";
import { useAcknowledgeMutation, useTakeBackAcknowledgementMutation } from "./api.ts";

type AcknowledgeButtonProps = {
  incident: Pick<Incident, "id" | "closedAt" | "acknowledgedAt">;
  variant?: ButtonVariant;
  size?: ButtonSize;
  className?: string;
  onAcknowledged?: (() => void) | undefined;
};

/** Acknowledges at once and offers an undo. Renders nothing if that is not possible or allowed. */
export function AcknowledgeButton({ incident, onAcknowledged, ...button }: AcknowledgeButtonProps) {
  const { t } = useTranslation();
  const offerUndo = useUndo();
  const { mayChange } = useSession();
  const [acknowledge, { isLoading }] = useAcknowledgeMutation();
  const hotkey = useHotkeys();
  const [takeBack] = useTakeBackAcknowledgementMutation();
  const { id, closedAt, acknowledgedAt } = incident;
  if (!mayChange || closedAt !== undefined || acknowledgedAt !== undefined) return null;
  async function act() {
    const { error } = await acknowledge({ id });
    if (error !== undefined) toast("error", errorText(error, "acknowledge"));
    else {
      onAcknowledged?.();
      offerUndo(t("incidents.acknowledgedNow"), () => takeBack({ id }), "takeBackAcknowledgement");
    }
  }
  return (
    <Button
      variant="primary"
      {...hotkey("a")}
      {...button}
      saving={isLoading}
      // A longer word would not fit on a phone.
      savingLabel={t("incidents.acknowledge")}
      onClick={() => void act()}
    >
      <CheckIcon />
      {t("incidents.acknowledge")}
    </Button>
  );
}
