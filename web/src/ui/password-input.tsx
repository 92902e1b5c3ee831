import { type ComponentProps, useState } from "react";
import { useTranslation } from "react-i18next";
import { EyeIcon } from "./icons.tsx";
import { Input } from "./inputs.tsx";

/** A password, hidden unless its owner wants to see it. */
export function PasswordInput(props: Omit<ComponentProps<"input">, "type">) {
  const { t } = useTranslation();
  const [shown, setShown] = useState(false);
  return (
    <span className="relative block">
      <Input {...props} type={shown ? "text" : "password"} className="pr-10" />
      <button
        type="button"
        aria-label={shown ? t("auth.hidePassword") : t("auth.showPassword")}
        aria-pressed={shown}
        onClick={() => setShown(!shown)}
        className="absolute top-1/2 right-1.5 grid size-7 -translate-y-1/2 place-items-center rounded-sm text-faint hover:text-ink aria-pressed:text-accent"
      >
        <EyeIcon />
      </button>
    </span>
  );
}
