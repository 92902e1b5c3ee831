import { useTranslation } from "react-i18next";
import { useSession } from "../app/hooks.ts";
import { ButtonLink } from "../ui/button.tsx";
import { useHotkeys } from "../ui/hotkeys.ts";
import { PlusIcon } from "../ui/icons.tsx";
import type { AddNoun } from "./noun.ts";

export function AddLink({ noun, to }: { noun: AddNoun; to: string }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const hotkey = useHotkeys();
  if (!mayChange) return null;
  return (
    <ButtonLink to={to} variant="primary" {...hotkey("c")}>
      <PlusIcon />
      {t(`${noun}.add`)}
    </ButtonLink>
  );
}
