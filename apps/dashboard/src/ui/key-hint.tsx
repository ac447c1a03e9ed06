/** Shows keys such as `g j` or `Ctrl+S`. It is decoration; use it in tooltips, menus and the shortcuts dialog. */
export function KeyHint({ keys }: { keys: string }) {
  return (
    <span className="inline-flex shrink-0 items-center gap-1">
      {keys.split(/[ +]/).map((key) => (
        <kbd
          key={key}
          className="inline-grid h-5 min-w-5 place-items-center rounded-[4px] border border-line bg-sunken px-1 font-sans text-meta text-muted"
        >
          {key}
        </kbd>
      ))}
    </span>
  );
}
