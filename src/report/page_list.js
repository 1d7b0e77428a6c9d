
/* ---- page_list.js: the cases, filtered; only rows that are seen are made ---------------------- */

const ROW = 54;
const HEAD = 36;
const CAUSE = 44;

class CaseList {
  constructor() {
    this.text = '';
    this.outcome = null; /* only this one */
    this.tag = '';
    this.open = new Set(GROUPS.map((group) => group.outcome));
    this.open.delete('passed');
    this.open.delete('updated');
    this.open.delete('left-out');
    this.build();
    this.refresh();
  }

  build() {
    const tags = [...new Set(report.cases.flatMap((item) => item.tags))].sort();
    this.input = el('input', {type: 'search', placeholder: 'Filter cases', 'aria-label': 'Filter cases by text',
      title: 'All words must occur in a name, message, model or tag (/)',
      oninput: () => { this.text = this.input.value; this.refresh(); }});
    this.tags = el('select', {'aria-label': 'Filter cases by tag', hidden: tags.length === 0,
      onchange: () => { this.tag = this.tags.value; this.tags.blur(); this.refresh(); }},
    el('option', {value: ''}, 'All tags'), tags.map((tag) => el('option', {value: tag}, tag)));
    this.chips = GROUPS.filter((group) => this.countOf(group.outcome) > 0).map((group) => {
      const chip = el('button', {type: 'button', class: `chip ${group.outcome}`, 'aria-pressed': 'false',
        title: group.title, onclick: () => this.only(group.outcome)},
      el('span', {class: 'mark', 'aria-hidden': 'true'}, group.mark), `${group.short ?? group.title} `,
      el('b', {}, formatNumber(this.countOf(group.outcome))));
      chip.outcome = group.outcome;
      return chip;
    });
    this.space = el('div', {class: 'space', role: 'list'});
    this.scroller = el('div', {class: 'rows', onscroll: () => this.render(), tabindex: -1}, this.space);
    this.found = el('p', {class: 'found', role: 'status'});
    this.root = el('nav', {class: 'list', 'aria-label': 'Cases'},
      el('div', {class: 'filters'}, el('div', {class: 'line'}, this.input, this.tags),
        el('div', {class: 'chips', role: 'group', 'aria-label': 'Outcomes'}, this.chips), this.found),
      this.scroller);
    new ResizeObserver(() => this.render()).observe(this.scroller);
  }

  countOf(outcome) {
    return report.inlined ? report.cases.filter((item) => item.outcome === outcome).length : report.counts[outcome];
  }

  only(outcome) {
    this.outcome = this.outcome === outcome ? null : outcome;
    this.refresh();
  }

  /* Cases by group, as filtered. */
  refresh() {
    const words = this.text.toLowerCase().split(/\s+/).filter(Boolean);
    const narrowed = words.length > 0 || this.outcome !== null || this.tag !== '';
    this.items = report.cases.filter((item) => (this.outcome === null || item.outcome === this.outcome) &&
      (this.tag === '' || item.tags.includes(this.tag)) && words.every((word) => item.haystack.includes(word)));
    for (const chip of this.chips) {
      chip.setAttribute('aria-pressed', String(chip.outcome === this.outcome));
    }
    this.found.textContent = !narrowed ? '' : this.items.length === 0 ? 'No case matches.'
      : `${plural(this.items.length, 'case')} of ${formatNumber(report.cases.length)}`;
    this.layout(narrowed);
  }

  layout(narrowed = this.narrowed) {
    let top = 0;
    this.narrowed = narrowed;
    this.rows = [];
    this.sequence = [];
    for (const group of GROUPS) {
      const causes = byChange(this.items.filter((item) => item.outcome === group.outcome));
      const items = causes.flat();
      const opened = narrowed || this.open.has(group.outcome);
      this.sequence.push(...items);
      if (items.length > 0) {
        this.rows.push({group, count: items.length, opened, top});
        top += HEAD;
      }
      for (const cause of opened ? causes : []) {
        if (cause[0].change && isBadCase(cause[0])) {
          this.rows.push({cause: cause[0].change, top});
          top += CAUSE;
        }
        for (const item of cause) {
          this.rows.push({item, top});
          top += ROW;
        }
      }
    }
    this.space.style.height = `${top}px`;
    this.rendered = '';
    this.render();
  }

  render() {
    const from = this.scroller.scrollTop - 300;
    const to = this.scroller.scrollTop + this.scroller.clientHeight + 300;
    const first = Math.max(0, this.rows.findIndex((row) => row.top + ROW >= from));
    let end = first;
    while (end < this.rows.length && this.rows[end].top < to) {
      end++;
    }
    const key = `${first}-${end}-${this.current?.id}`;
    if (key !== this.rendered) {
      const focused = document.activeElement?.dataset?.row;
      this.rendered = key;
      this.space.replaceChildren(...this.rows.slice(first, end).map((row, i) => this.makeRow(row, first + i)));
      if (focused !== undefined && !this.root.contains(document.activeElement)) {
        this.space.querySelector(`[data-row="${focused}"]`)?.focus({preventScroll: true});
      }
    }
  }

  makeRow(row, index) {
    const element = row.group ? this.makeHead(row, index) : row.cause ? this.makeCause(row)
      : this.makeCase(row.item, index);
    element.style.top = `${row.top}px`;
    return element;
  }

  makeHead({group, count, opened}, index) {
    return el('div', {class: `head ${group.outcome}`, role: 'listitem'}, group.outcome === 'failed' ? ticks.boxOfAll() : null,
      el('button', {type: 'button', 'data-row': index, 'aria-expanded': String(opened), onclick: () => this.toggle(group)},
        el('span', {class: 'arrow', 'aria-hidden': 'true'}, opened ? '▾' : '▸'), group.title,
        el('span', {class: 'count'}, formatNumber(count))));
  }

  makeCause({cause}) {
    return el('div', {class: 'cause', role: 'listitem', title: cause}, el('span', {}, cause));
  }

  toggle(group) {
    if (!this.open.delete(group.outcome)) {
      this.open.add(group.outcome);
    }
    this.layout();
  }

  makeCase(item, index) {
    const group = groupOf(item.outcome);
    return el('div', {class: 'row', role: 'listitem', 'aria-setsize': this.rows.length, 'aria-posinset': index + 1},
      isAcceptable(item) ? ticks.boxOf(item) : null,
      el('a', {href: linkOf(item), 'data-row': index, 'aria-current': item === this.current ? 'true' : null,
        class: item.outcome},
      el('span', {class: 'mark', title: group.title}, group.mark),
      el('span', {class: 'name'}, item.name), miniature(item),
      el('span', {class: 'under', title: item.message ?? ''}, el('span', {class: 'suite'}, item.suite),
        whatDiffers(item) ? ` · ${whatDiffers(item)}` : '')));
  }

  /* Marks the case that is shown, and brings its row into sight. */
  setCurrent(item) {
    this.current = item;
    if (item && !this.narrowed && !this.open.has(item.outcome)) {
      this.open.add(item.outcome);
      this.layout();
    }
    const row = this.rows.find((candidate) => candidate.item === item);
    const {scrollTop, clientHeight} = this.scroller;
    if (row && (row.top < scrollTop + HEAD || row.top + ROW > scrollTop + clientHeight)) {
      this.scroller.scrollTop = row.top - clientHeight / 3;
    }
    this.render();
  }

  /* The failure before or after the current case; another case when no failure is listed. */
  neighbour(step, item = this.current) {
    const bad = this.sequence.filter(isBadCase);
    const items = bad.length > 0 ? bad : this.sequence;
    const at = items.indexOf(item);
    return at < 0 ? items[step > 0 ? 0 : items.length - 1] : items[at + step];
  }
}

/* Which frames of a case are bad, at a glance. */
function miniature(item) {
  if (item.frames.length < 2 || item.bad === 0) {
    return null;
  }
  const ranges = badRanges(item);
  const unit = 48 / item.frames.length;
  return svg('svg', {class: 'mini', width: 48, height: 6, viewBox: '0 0 48 6', role: 'img',
    'aria-label': `${item.bad} of ${item.total} frames`},
  svg('rect', {class: 'ribbon-good', x: 0, y: 0, width: 48, height: 6, rx: 1}),
  ranges.slice(0, 48).map(([first, last]) => svg('rect', {class: 'ribbon-bad', x: first * unit, y: 0, height: 6,
    width: Math.max(1.5, (last - first + 1) * unit)})));
}

const linkOf = (item, frame) => `#${[item.suite, item.name, ...(frame ? [frame.name] : [])].map(encodeURIComponent).join('/')}`;
