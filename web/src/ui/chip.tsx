import type { ReactNode } from "react";
import { CrossIcon } from "./icons.tsx";

type ChipProps = {
  icon?: ReactNode;
  children: ReactNode;
  removeLabel: string;
  disabled?: boolean;
  onRemove: () => void;
};

export function Chip({ icon, children, removeLabel, disabled, onRemove }: ChipProps) {
  return (
    <li className="inline-flex max-w-full min-h-8 items-center gap-1.5 rounded-md border border-line bg-sunken pl-2 has-disabled:pr-2">
      {icon}
      <span className="min-w-0 truncate">{children}</span>
      <button
        type="button"
        disabled={disabled}
        aria-label={removeLabel}
        title={removeLabel}
        onClick={onRemove}
        className="inline-flex size-8 items-center justify-center rounded-md text-muted hover:text-ink disabled:hidden"
      >
        <CrossIcon className="size-3.5" />
      </button>
    </li>
  );
}
