import { secretMask } from "@sonde/proto/http/secrets";
import { type ComponentProps, useState } from "react";
import { useTranslation } from "react-i18next";
import { EyeIcon } from "../../../ui/icons.tsx";
import { Input } from "../../../ui/inputs.tsx";

type SecretInputProps = Omit<ComponentProps<"input">, "type" | "value"> & { value: string };

/** A secret: typed unseen, shown on demand while it is being typed. What is stored is a mask, which stays as it is. */
export function SecretInput({ value, ...rest }: SecretInputProps) {
  const { t } = useTranslation();
  const [shown, setShown] = useState(false);
  const isStored = value === secretMask;
  const canShow = value !== "" && !isStored;
  return (
    <span className="relative block">
      <Input
        {...rest}
        value={value}
        mono
        type={shown && canShow ? "text" : "password"}
        autoComplete="new-password"
        spellCheck={false}
        className={canShow ? "pr-10" : undefined}
        // Typing into a mask means a new value, not a mask with letters in it.
        onFocus={(event) => isStored && event.target.select()}
      />
      {canShow && (
        <button
          type="button"
          aria-label={shown ? t("channels.hideTyped") : t("channels.showTyped")}
          aria-pressed={shown}
          onClick={() => setShown(!shown)}
          className="absolute top-1/2 right-1.5 grid size-7 -translate-y-1/2 place-items-center rounded-sm text-faint hover:text-ink aria-pressed:text-accent"
        >
          <EyeIcon />
        </button>
      )}
    </span>
  );
}
