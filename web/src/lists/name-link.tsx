import { Link } from "react-router-dom";
import { cx } from "../ui/cx.ts";

type NameLinkProps = { to: string; name: string; title?: string; className?: string };

export function NameLink({ to, name, title = name, className }: NameLinkProps) {
  return (
    <Link
      to={to}
      title={title}
      className={cx("inline-flex min-h-6 min-w-0 items-center font-medium hover:underline", className)}
    >
      <span className="truncate">{name}</span>
    </Link>
  );
}
