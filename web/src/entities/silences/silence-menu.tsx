import { useTranslation } from "react-i18next";
import { toast } from "../../ui/alert.tsx";
import type { ButtonSize, ButtonVariant } from "../../ui/button.tsx";
import { SilentIcon } from "../../ui/icons.tsx";
import type { MenuEntry } from "../../ui/menu/entries.ts";
import { Menu } from "../../ui/menu/menu.tsx";
import { errorText } from "../../app/errors.ts";
import { useUndo } from "../../app/undo.ts";
import { type SilenceTarget, useEndSilenceMutation, useSilenceMutation } from "./api.ts";
import { requestSilence } from "./request.ts";
import { useEndEntries } from "./end-entries.tsx";

export function useSilenceEntries(target: SilenceTarget, name: string): [MenuEntry[], boolean] {
  const { t } = useTranslation();
  const offerUndo = useUndo();
  const [silence, { isLoading }] = useSilenceMutation();
  const [endSilence] = useEndSilenceMutation();
  const entries = useEndEntries(t("quiet.silenceNote", { name }), async (end, words) => {
    const answer = await silence({ target, ...end });
    if (answer.error !== undefined) return toast("error", errorText(answer.error, "silence"));
    const { id } = answer.data.silence;
    offerUndo(t("quiet.silenced", { name, end: words }), () => endSilence(id), "endSilence");
  });
  const other = { kind: "action", label: t("quiet.other"), onSelect: () => requestSilence({ target, name }) } as const;
  return [[...entries, { kind: "separator" }, other], isLoading];
}

type SilenceMenuProps = {
  target: SilenceTarget;
  name: string;
  variant?: ButtonVariant;
  size?: ButtonSize;
  className?: string;
};

export function SilenceMenu({ target, name, ...button }: SilenceMenuProps) {
  const { t } = useTranslation();
  const [entries, isSaving] = useSilenceEntries(target, name);
  const label = t("quiet.silence");
  const icon = button.size === "icon" && { "aria-label": `${label}: ${name}`, title: label, savingLabel: "" };
  return (
    <Menu entries={entries} saving={isSaving} {...button} {...icon}>
      <SilentIcon />
      {!icon && label}
    </Menu>
  );
}
