/** The logo with the product name. */
export function Logo() {
  return (
    <span className="inline-flex items-center gap-2.5 text-lead font-semibold tracking-tight">
      <svg aria-hidden="true" viewBox="0 0 32 32" className="size-6 text-accent">
        <rect width="32" height="32" rx="8" fill="currentColor" />
        <g className="text-on-accent" stroke="currentColor" strokeWidth="2.6" strokeLinecap="round">
          <path d="M8 11h10M8 16h16M8 21h7" />
          <circle cx="22.5" cy="11" r="1.4" fill="currentColor" />
          <circle cx="19.5" cy="21" r="1.4" fill="currentColor" />
        </g>
      </svg>
      Jobline
    </span>
  );
}
