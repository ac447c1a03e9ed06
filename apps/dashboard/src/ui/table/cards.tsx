import { cx } from '../classes.js';
import { RowContext } from '../hooks.js';
import { Skeleton } from '../states.js';
import type { Column, SharedProps } from './columns.js';
import { followRowLink, RowCheckbox, rowClasses } from './rows.js';

const SKELETON_CARDS = 5;

/** The rows below 640 px. A list, because screen readers do not recognize a table whose cells are block elements. */
export function Cards<Row>(props: SharedProps<Row>) {
  const { caption, columns, rows, rowId, selection, currentId, detail, card, cardHeight } = props;
  if (!rows) {
    const count = Math.min(props.skeletonRows ?? SKELETON_CARDS, SKELETON_CARDS);
    return <SkeletonCards count={count} height={cardHeight} />;
  }
  return (
    <ul aria-label={caption} className="divide-y divide-line">
      {rows.map((row) => {
        const id = rowId(row);
        return (
          <li
            key={id}
            data-row-id={id}
            aria-current={currentId === id || undefined}
            data-selected={selection?.selected.has(id) || undefined}
            className={rowClasses}
          >
            {/* Keyboard users activate the link inside. */}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: see above */}
            {/* biome-ignore lint/a11y/noStaticElementInteractions: see above */}
            <div onClick={followRowLink} className={cx('flex gap-3 px-4 py-3', cardHeight)}>
              <RowContext value={true}>
                {selection && (
                  <span className="pt-1">
                    <RowCheckbox {...props} row={row} id={id} />
                  </span>
                )}
                <div className="min-w-0 flex-1">{card ? card(row) : <Card columns={columns} row={row} />}</div>
              </RowContext>
            </div>
            {detail && currentId === id && <div className="border-t border-line bg-canvas">{detail(row)}</div>}
          </li>
        );
      })}
    </ul>
  );
}

function Card<Row>({ columns, row }: { columns: readonly Column<Row>[]; row: Row }) {
  const at = (position: 'title' | 'end' | 'line') => columns.filter(({ card = 'line' }) => card === position);
  const [first, ...titles] = at('title');
  const lines = at('line');
  return (
    <>
      <div className="flex min-h-7 items-center justify-between gap-3">
        <div className="min-w-0">{first?.cell(row)}</div>
        <div className="flex shrink-0 items-center gap-2 text-meta text-muted">
          {at('end').map(({ header, cell }) => (
            <span key={header}>{cell(row)}</span>
          ))}
        </div>
      </div>
      {titles.map(({ header, cell }) => (
        <div key={header} className="mt-1 min-w-0">
          {cell(row)}
        </div>
      ))}
      {lines.length > 0 && (
        <dl className="mt-1.5 grid grid-cols-[auto_1fr] gap-x-4 gap-y-0.5">
          {lines.map(({ header, hideHeader, cell }) => (
            <div key={header} className="col-span-2 grid grid-cols-subgrid items-center">
              <dt className={cx('text-meta text-muted', hideHeader && 'sr-only')}>{header}</dt>
              <dd className={cx('min-w-0 truncate', hideHeader && 'col-span-2')}>{cell(row)}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

function SkeletonCards({ count, height = 'h-32' }: { count: number; height: string | undefined }) {
  return (
    <div className="divide-y divide-line">
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the cards are identical
        <div key={index} className={cx('flex flex-col justify-center gap-3 px-4', height)}>
          <Skeleton className="w-1/2" />
          <Skeleton className="w-3/4" />
          {height === 'h-32' && <Skeleton className="w-2/3" />}
        </div>
      ))}
    </div>
  );
}
