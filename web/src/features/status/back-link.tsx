import { Link } from "react-router";
import { ChevronLeftIcon } from "../../ui/icons.tsx";

/** From one entry of a tab back to all of them. */
export function BackLink({ to, label }: { to: string; label: string }) {
  return (
    <Link to={to} className="mb-2 inline-flex min-h-6 items-center gap-1 text-[13px] text-muted hover:text-ink">
      <ChevronLeftIcon className="size-3.5" />
      {label}
    </Link>
  );
}
