/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables as other programs write them: what is read of each, and its notes. */
#include "tests/unit/files.h"

#include "mining/frame.h"
#include "table/written.h"

struct table {
	const char *name, *text;
	size_t len;
	const char *wish; /* an item of mine.read; "" = none */
	const char *columns; /* n numbers, w words, [unit], -missing */
	size_t rows;
	const char *first, *last; /* the rows */
	const char *notes; /* each in a line, of the file t */
};
#define TEXT(text) text, sizeof(text) - 1

static const struct table tables[] = {
	{ "plain",
	  TEXT("size,isa,ns\n"
	       "1,a,1.5\n"
	       "2,b,2.5\n"),
	  "", "size n, isa w, ns n", 2, "1|a|1.5", "2|b|2.5", "" },
	{ "crlf",
	  TEXT("size,isa,ns\r\n"
	       "1,a,1.5\r\n"
	       "2,b,2.5\r\n"),
	  "", "size n, isa w, ns n", 2, "1|a|1.5", "2|b|2.5", "" },
	{ "lone CR", TEXT("size,isa,ns\r1,a,1.5\r2,b,2.5\r"), "", "size n, isa w, ns n", 2,
	  "1|a|1.5", "2|b|2.5", "" },
	{ "a mark",
	  TEXT("\357\273\277size,ns\n"
	       "1,1.5\n"
	       "2,2.5\n"),
	  "", "size n, ns n", 2, "1|1.5", "2|2.5", "" },
	{ "UTF-16 LE",
	  TEXT("\377\376k\000,\000n\000s\000\r\000\n"
	       "\000a\000,\0001\000.\0005\000\r\000\n"
	       "\000\265\000,\0002\000.\0005\000\r\000\n"
	       "\000"),
	  "", "k w, ns n", 2, "a|1.5", "\302\265|2.5", "t: the text is UTF-16\n" },
	{ "UTF-16 BE",
	  TEXT("\376\377\000k\000,\000n\000s\000\r\000\n"
	       "\000a\000,\0001\000.\0005\000\r\000\n"
	       "\000\265\000,\0002\000.\0005\000\r\000\n"),
	  "", "k w, ns n", 2, "a|1.5", "\302\265|2.5", "t: the text is UTF-16\n" },
	{ "UTF-16 without a mark",
	  TEXT("k\000,\000n\000s\000\r\000\n"
	       "\000a\000,\0001\000.\0005\000\r\000\n"
	       "\000\265\000,\0002\000.\0005\000\r\000\n"
	       "\000"),
	  "", "k w, ns n", 2, "a|1.5", "\302\265|2.5", "t: the text is UTF-16\n" },
	{ "UTF-16 BE without a mark",
	  TEXT("\000k\000,\000n\000s\000\n"
	       "\000a\000,\0001\000\n"),
	  "", "k w, ns n", 1, "a|1", "a|1", "t: the text is UTF-16\n" },
	{ "UTF-16 with a pair, halves of pairs, and half a character",
	  TEXT("\376\377\000k\000,\000n\000\n"
	       "\330\075\336\000\000,\0001\000\n"
	       "\000x\330\075\000,\0002\000\n"
	       "\336\000\000y\000,\0003\000\n\000"),
	  "", "k w, n n", 3, "\360\237\230\200|1", "?y|3",
	  "t: the text is UTF-16\n"
	  "t: 1 of 4 rows is left out: 1 with one cell\n"
	  "t:5: 1 cell, but 2 columns have a name; the row is left out\n" },
	{ "Windows-1252",
	  TEXT("Kern;Gr\366\337e (MiB);Zeit [\265s]\r\n"
	       "a;1;0,526\r\n"
	       "b;2;1,5\r\n"),
	  "", "Kern w, Gr\303\266\303\237e (MiB) n, Zeit [\302\265s] n", 2, "a|1|0.526", "b|2|1.5",
	  "t: the text is Windows-1252; semicolons separate the cells; commas are decimal (0,5 is "
	  "0.5)\n" },
	{ "Windows-1252 with thousands and a unit",
	  TEXT("k;n;p\n"
	       "a;1\240235\240766;5 \200\n"
	       "b;12\240097;7 \200\n"),
	  "", "k w, n n, p n[\342\202\254]", 2, "a|1235766|5", "b|12097|7",
	  "t: the text is Windows-1252; semicolons separate the cells\n"
	  "t: the units after the numbers are taken off: p in \342\202\254\n" },
	{ "bytes that Windows-1252 lacks",
	  TEXT("k,n\n"
	       "\201\351,1\n"
	       "\223x\224,2\n"),
	  "", "k w, n n", 2, "?\303\251|1", "\342\200\234x\342\200\235|2",
	  "t: the text is Windows-1252\n" },
	{ "UTF-8 with a damaged byte",
	  TEXT("k,n\n"
	       "\303\244,1\n"
	       "\303\266,2\n"
	       "b\374,3\n"),
	  "", "k w, n n", 3, "\303\244|1", "b?|3", "" },
	{ "encoding by wish",
	  TEXT("k,t\n"
	       "a,5 \302\265s\n"
	       "b,7 \302\265s\n"),
	  "encoding:latin-1", "k w, t n[\303\202\302\265s]", 2, "a|5", "b|7",
	  "t: the text is Windows-1252\n"
	  "t: the units after the numbers are taken off: t in \303\202\302\265s\n" },
	{ "UTF-8 by wish",
	  TEXT("k,n\n"
	       "a\351,1\n"
	       "b,2\n"),
	  "encoding:utf-8", "k w, n n", 2, "a?|1", "b|2", "" },
	{ "UTF-16 by wish",
	  TEXT("\351\000,\000n\000\n\000"
	       "a\000,\0002\000\n\000"),
	  "encoding:utf-16", "\303\251 w, n n", 1, "a|2", "a|2", "t: the text is UTF-16\n" },
	{ "JSON in Windows-1252", TEXT("[{\"k\": \"\344\", \"n\": 1}]"), "", "k w, n n", 1,
	  "\303\244|1", "\303\244|1",
	  "t: the text is Windows-1252\n"
	  "t: a list of objects in JSON: a row for each\n" },
	{ "European spreadsheet",
	  TEXT("\357\273\277Kern;Gr\303\266\303\237e (MiB);Zeit [ms]\r\n"
	       "a;1;0,526\r\n"
	       "b;2;0,579\r\n"
	       "b;4;12,097\r\n"),
	  "", "Kern w, Gr\303\266\303\237e (MiB) n, Zeit [ms] n", 3, "a|1|0.526", "b|4|12.097",
	  "t: semicolons separate the cells; commas are decimal (0,5 is 0.5)\n" },
	{ "European, decimals of three digits only",
	  TEXT("k;ms\n"
	       "a;1,234\n"
	       "b;2,345\n"),
	  "", "k w, ms n", 2, "a|1.234", "b|2.345",
	  "t: semicolons separate the cells; commas are decimal (0,5 is 0.5)\n" },
	{ "European thousands",
	  TEXT("k;n;x\n"
	       "a;1.234.567;1,5\n"
	       "b;12.345;2,25\n"),
	  "", "k w, n n, x n", 2, "a|1234567|1.5", "b|12345|2.25",
	  "t: semicolons separate the cells; commas are decimal (0,5 is 0.5)\n" },
	{ "tabs with decimal commas",
	  TEXT("k\tms\n"
	       "a\t0,5\n"
	       "b\t1,5\n"),
	  "", "k w, ms n", 2, "a|0.5", "b|1.5",
	  "t: tabs separate the cells; commas are decimal (0,5 is 0.5)\n" },
	{ "one column with decimal commas",
	  TEXT("ms\n"
	       "0,5\n"
	       "0,75\n"
	       "1,5\n"),
	  "", "ms n", 3, "0.5", "1.5", "t: commas are decimal (0,5 is 0.5)\n" },
	{ "thousands in quotes",
	  TEXT("k,bytes\n"
	       "a,\"1,235,766\"\n"
	       "b,\"12,097\"\n"
	       "c,512\n"),
	  "", "k w, bytes n", 3, "a|1235766", "c|512",
	  "t: commas separate thousands (1,235 is 1235)\n" },
	{ "thousands with points",
	  TEXT("k,rate\n"
	       "a,\"1,235.5\"\n"
	       "b,\"12,097.25\"\n"),
	  "", "k w, rate n", 2, "a|1235.5", "b|12097.25",
	  "t: commas separate thousands (1,235 is 1235)\n" },
	{ "thousands with blanks",
	  TEXT("k;n\n"
	       "a;1 235 766\n"
	       "b;12 097\n"),
	  "", "k w, n n", 2, "a|1235766", "b|12097", "t: semicolons separate the cells\n" },
	{ "thousands with narrow blanks",
	  TEXT("k;n\n"
	       "a;1\342\200\257235\342\200\257766\n"
	       "b;12\302\240097\n"),
	  "", "k w, n n", 2, "a|1235766", "b|12097", "t: semicolons separate the cells\n" },
	{ "thousands with apostrophes",
	  TEXT("k;n\n"
	       "a;1'235'766\n"
	       "b;12'097\n"),
	  "", "k w, n n", 2, "a|1235766", "b|12097", "t: semicolons separate the cells\n" },
	{ "Fortran exponents",
	  TEXT("x y\n"
	       "1.5D+00 2.0d-3\n"
	       "2.5D+01 4.0D+2\n"),
	  "", "x n, y n", 2, "1.5|0.002", "25|400", "t: blanks separate the cells\n" },
	{ "minus of typesetting",
	  TEXT("k,x\n"
	       "a,\342\210\2221.5\n"
	       "b,2\n"),
	  "", "k w, x n", 2, "a|-1.5", "b|2", "" },
	{ "tabs",
	  TEXT("a\tb\n"
	       "1\t\n"
	       "2\tx y\n"),
	  "", "a n, b w -1", 2, "1|", "2|x y", "t: tabs separate the cells\n" },
	{ "blanks",
	  TEXT("size  time\n"
	       "1     0.5\n"
	       "16   12.5\n"),
	  "", "size n, time n", 2, "1|0.5", "16|12.5", "t: blanks separate the cells\n" },
	{ "blanks before the rows",
	  TEXT("  size  time\n"
	       "     1   0.5\n"
	       "    16  12.5\n"),
	  "", "size n, time n", 2, "1|0.5", "16|12.5", "t: blanks separate the cells\n" },
	{ "pipes",
	  TEXT("size|time\n"
	       "1|0.5\n"
	       "2|0.7\n"),
	  "", "size n, time n", 2, "1|0.5", "2|0.7", "t: pipes separate the cells\n" },
	{ "Markdown",
	  TEXT("| size | time |\n"
	       "|-----:|:-----|\n"
	       "| 1 | 0.5 |\n"
	       "| 2 | 0.7 |\n"),
	  "", "size n, time n", 2, "1|0.5", "2|0.7", "t: pipes separate the cells\n" },
	{ "psql",
	  TEXT(" size | time \n"
	       "------+------\n"
	       "    1 |  0.5\n"
	       "    2 |  0.7\n"
	       "(2 rows)\n"),
	  "", "size n, time n", 2, "1|0.5", "2|0.7",
	  "t: pipes separate the cells\n"
	  "t: 1 of 3 rows is left out: 1 with one cell\n"
	  "t:5: 1 cell, but 2 columns have a name; the row is left out\n" },
	{ "sep= of Excel",
	  TEXT("sep=;\n"
	       "size;ns\n"
	       "1;1,5\n"
	       "2;2,5\n"),
	  "", "size n, ns n", 2, "1|1.5", "2|2.5",
	  "t: its line sep=; is obeyed; semicolons separate the cells; commas are decimal (0,5 is "
	  "0.5)\n" },
	{ "sep= another",
	  TEXT("sep=^\r\n"
	       "size^ns\r\n"
	       "1^1.5\r\n"
	       "2^2.5\r\n"),
	  "", "size n, ns n", 2, "1|1.5", "2|2.5",
	  "t: its line sep=^ is obeyed; \"^\" separates the cells\n" },
	{ "semicolons in text",
	  TEXT("k,t\n"
	       "\"a;b\",1\n"
	       "\"c;d\",2\n"),
	  "", "k w, t n", 2, "a;b|1", "c;d|2", "" },
	{ "commas in text of semicolons",
	  TEXT("k;t\n"
	       "x, y, z;1\n"
	       "u, v, w;2\n"),
	  "", "k w, t n", 2, "x, y, z|1", "u, v, w|2", "t: semicolons separate the cells\n" },
	{ "one word among numbers",
	  TEXT("k,ns\n"
	       "a,0.5\n"
	       "a,1.5\n"
	       "a,2.5\n"
	       "a,3.5\n"
	       "a,4.5\n"
	       "a,5.5\n"
	       "a,6.5\n"
	       "a,7.5\n"
	       "a,8.5\n"
	       "a,9.5\n"
	       "a,10.5\n"
	       "a,11.5\n"
	       "a,DNF\n"),
	  "", "k w, ns n -1", 13, "a|0.5", "a|",
	  "t:14: 1 of 13 cells of ns (column 2) is not a number: DNF\n" },
	{ "words of missing values",
	  TEXT("k,bw\n"
	       "a,1.5\n"
	       "a,#N/A\n"
	       "a,-\n"
	       "a,DNF\n"
	       "b,2.5\n"),
	  "", "k w, bw n -3", 5, "a|1.5", "b|2.5",
	  "t:3: 3 of 5 cells of bw (column 2) are not numbers: #N/A, -, DNF\n" },
	{ "words among numbers",
	  TEXT("k,threads\n"
	       "a,1\n"
	       "a,2\n"
	       "a,auto\n"
	       "a,4\n"),
	  "", "k w, threads w", 4, "a|1", "a|4", "" },
	{ "missing first",
	  TEXT("k,ns\n"
	       "a,DNF\n"
	       "b,1.5\n"
	       "b,2.5\n"),
	  "", "k w, ns n -1", 3, "a|", "b|2.5",
	  "t:2: 1 of 3 cells of ns (column 2) is not a number: DNF\n" },
	{ "words after numbers",
	  TEXT("a\n"
	       "007\n"
	       "1.50\n"
	       "x\n"),
	  "", "a w", 3, "007", "x", "" },
	{ "units",
	  TEXT("k,bw\n"
	       "a,60.11 GB/s\n"
	       "b,58.2 GB/s\n"
	       "b,- \n"),
	  "", "k w, bw n[GB/s] -1", 3, "a|60.11", "b|",
	  "t:4: 1 of 3 cells of bw (column 2) is not a number: -\n"
	  "t: the units after the numbers are taken off: bw in GB/s\n" },
	{ "units of other alphabets",
	  TEXT("k,t\n"
	       "a,60 \302\265s\n"
	       "b,58.2 \302\265s\n"),
	  "", "k w, t n[\302\265s]", 2, "a|60", "b|58.2",
	  "t: the units after the numbers are taken off: t in \302\265s\n" },
	{ "percent",
	  TEXT("k,share\n"
	       "a,60%\n"
	       "b,5.5%\n"),
	  "", "k w, share n[%]", 2, "a|60", "b|5.5",
	  "t: the units after the numbers are taken off: share in %\n" },
	{ "several units",
	  TEXT("k,t\n"
	       "a,60 ms\n"
	       "b,58 s\n"
	       "c,1 h\n"),
	  "", "k w, t w", 3, "a|60 ms", "c|1 h", "" },
	{ "a unit and a decimal comma",
	  TEXT("k;bw\n"
	       "a;60,11 GB/s\n"
	       "b;58,2 GB/s\n"),
	  "", "k w, bw n[GB/s]", 2, "a|60.11", "b|58.2",
	  "t: semicolons separate the cells; commas are decimal (0,5 is 0.5)\n"
	  "t: the units after the numbers are taken off: bw in GB/s\n" },
	{ "trailing separators in half",
	  TEXT("size,isa,ns\n"
	       "1,a,1.5\n"
	       "1,a,1.6,\n"
	       "2,b,2.5\n"
	       "2,b,2.6,\n"),
	  "", "size n, isa w, ns n", 4, "1|a|1.5", "2|b|2.6", "" },
	{ "trailing separators below the names",
	  TEXT("size,isa,ns\n"
	       "1,a,1.5,\n"
	       "2,b,2.5,\n"),
	  "", "size n, isa w, ns n", 2, "1|a|1.5", "2|b|2.5", "" },
	{ "trailing separators everywhere",
	  TEXT("size,isa,ns,\n"
	       "1,a,1.5,\n"
	       "2,b,2.5,\n"),
	  "", "size n, isa w, ns n", 2, "1|a|1.5", "2|b|2.5", "" },
	{ "short rows",
	  TEXT("size,isa,ns,comment\n"
	       "1,a,1.5\n"
	       "1,a,1.6\n"
	       "2,b,2.5,ok\n"),
	  "", "size n, isa w, ns n, comment w -2", 3, "1|a|1.5|", "2|b|2.5|ok",
	  "t:2: 2 rows lack cells at the end: they count as missing\n" },
	{ "wide rows",
	  TEXT("size,ns\n"
	       "1,1.5\n"
	       "2,2.5,x\n"
	       "3,3.5\n"
	       "4,4.5\n"),
	  "", "size n, ns n", 3, "1|1.5", "4|4.5",
	  "t: 1 of 4 rows is left out: 1 with too many cells\n"
	  "t:3: 3 cells, but 2 columns have a name; the row is left out\n" },
	{ "broken quotes",
	  TEXT("k,ns\n"
	       "a,1.5\n"
	       "b\"c,2\n"
	       "d,3.5\n"),
	  "", "k w, ns n", 2, "a|1.5", "d|3.5",
	  "t: 1 of 3 rows is left out: 1 with a broken quote or without an end\n"
	  "t:3: a quote inside a cell: quote the whole cell, and write the quote in it twice; the "
	  "line is left out\n" },
	{ "no names",
	  TEXT("1,2.5\n"
	       "2,3.5\n"
	       "3,4.5\n"),
	  "", "c1 n, c2 n", 3, "1|2.5", "3|4.5", "t: line 1 is data: the columns are c1 and c2\n" },
	{ "no names, words",
	  TEXT("a,1,2.5\n"
	       "b,2,3.5\n"),
	  "", "c1 w, c2 n, c3 n", 2, "a|1|2.5", "b|2|3.5",
	  "t: line 1 is data: the columns are c1, c2, ...\n" },
	{ "no names, by wish",
	  TEXT("a,b\n"
	       "c,d\n"),
	  "header:no", "c1 w, c2 w", 2, "a|b", "c|d",
	  "t: line 1 is data: the columns are c1 and c2\n" },
	{ "names by wish",
	  TEXT("1990,2000\n"
	       "1,2\n"
	       "3,4\n"),
	  "header:yes", "1990 n, 2000 n", 2, "1|2", "3|4", "" },
	{ "names of years",
	  TEXT("k,1990,2000\n"
	       "a,1,2\n"
	       "b,3,4\n"),
	  "header:yes", "k w, 1990 n, 2000 n", 2, "a|1|2", "b|3|4", "" },
	{ "names that are words only",
	  TEXT("k,l\n"
	       "a,b\n"
	       "c,d\n"),
	  "", "k w, l w", 2, "a|b", "c|d", "" },
	{ "repeated names",
	  TEXT("k,ns\n"
	       "a,1.5\n"
	       "k,ns\n"
	       "b,2.5\n"
	       "k,ns\n"
	       "c,3.5\n"),
	  "", "k w, ns n", 3, "a|1.5", "c|3.5",
	  "t:3: the names of the columns are repeated: 2 such lines are left out\n" },
	{ "perf stat -x,",
	  TEXT("# started on Thu May  2 10:04:18 2019\n"
	       "\n"
	       "355512575,,cycles,736343332,100.00,,\n"
	       "684361682,,instructions,240040410,100.00,1.57,insn per cycle\n"
	       "<not counted>,,branches,0,100.00,,\n"),
	  "",
	  "count n -1, unit n -3, event w, run_ns n, run_percent n, metric n -2, metric_unit w -2",
	  3, "355512575||cycles|736343332|100||", "||branches|0|100||",
	  "t: the columns are named as in perf stat -x\n"
	  "t:5: 1 of 3 cells of count (column 1) is not a number: <not counted>\n" },
	{ "perf stat -x, repeated",
	  TEXT("# started on Thu\n"
	       "\n"
	       "35,,cycles,73,100.00,,\n"
	       "68,,instructions,24,100.00,1.57,insn per cycle\n"
	       "# started on Fri\n"
	       "\n"
	       "36,,cycles,73,100.00,,\n"
	       "69,,instructions,24,100.00,1.57,insn per cycle\n"),
	  "", "count n, unit n -4, event w, run_ns n, run_percent n, metric n -2, metric_unit w -2",
	  4, "35||cycles|73|100||", "69||instructions|24|100|1.57|insn per cycle",
	  "t: the columns are named as in perf stat -x\n"
	  "t: 1 comment (#) is left out\n" },
	{ "perf stat -x, -I",
	  TEXT("     1.000105,35,,cycles,73,100.00,,\n"
	       "     1.000105,68,,instructions,24,100.00,1.94,insn per cycle\n"
	       "     2.000305,36,,cycles,73,100.00,,\n"),
	  "",
	  "time n, count n, unit n -3, event w, run_ns n, run_percent n, metric n -2, metric_unit "
	  "w -2",
	  3, "1.000105|35||cycles|73|100||", "2.000305|36||cycles|73|100||",
	  "t: the columns are named as in perf stat -x\n" },
	{ "perf stat -x; of France",
	  TEXT("355512575;;cycles;736343332;100,00;;\n"
	       "684361682;;instructions;240040410;100,00;1,57;insn per cycle\n"),
	  "", "count n, unit n -2, event w, run_ns n, run_percent n, metric n -1, metric_unit w -1",
	  2, "355512575||cycles|736343332|100||",
	  "684361682||instructions|240040410|100|1.57|insn per cycle",
	  "t: semicolons separate the cells; commas are decimal (0,5 is 0.5); the columns are "
	  "named as in perf stat -x\n" },
	{ "perf stat -x; -I of France",
	  TEXT("1,000105;35;;cycles;73;100,00;;\n"
	       "2,000305;36;;cycles;73;100,00;;\n"),
	  "", "time n, count n, unit n -2, event w, run_ns n, run_percent n", 2,
	  "1.000105|35||cycles|73|100", "2.000305|36||cycles|73|100",
	  "t: semicolons separate the cells; commas are decimal (0,5 is 0.5); the columns are "
	  "named as in perf stat -x\n" },
	{ "perf stat -r -x,",
	  TEXT("35,,cycles,0.52%,73,100.00,,\n"
	       "68,,instructions,0.02%,24,100.00,1.94,insn per cycle\n"),
	  "",
	  "count n, unit n -2, event w, deviation n[%], run_ns n, run_percent n, metric n -1, "
	  "metric_unit w -1",
	  2, "35||cycles|0.52|73|100||", "68||instructions|0.02|24|100|1.94|insn per cycle",
	  "t: the columns are named as in perf stat -x\n"
	  "t: the units after the numbers are taken off: deviation in %\n" },
	{ "Google Benchmark",
	  TEXT("2019-05-02T10:04:18+02:00\n"
	       "Running ./bench\n"
	       "Run on (8 X 4000 MHz CPU s)\n"
	       "CPU Caches:\n"
	       "  L1 Data 32 KiB (x4)\n"
	       "  L2 Unified 256 KiB (x4)\n"
	       "Load Average: 0.52, 0.58, 0.59\n"
	       "name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,"
	       "label,error_occurred,error_message\n"
	       "\"BM_Copy/8\",1000,51.5,51.25,ns,1.5e+09,,,,\n"
	       "\"BM_Copy/64\",500,71.5,71.25,ns,9.5e+09,,,,\n"),
	  "",
	  "name w, iterations n, real_time n, cpu_time n, time_unit w, bytes_per_second n, "
	  "items_per_second n -2, label n -2, error_occurred n -2, error_message n -2",
	  2, "BM_Copy/8|1000|51.5|51.25|ns|1500000000||||",
	  "BM_Copy/64|500|71.5|71.25|ns|9500000000||||",
	  "t: the table begins on line 8, and 7 lines above it are left out\n" },
	{ "Google Benchmark in JSON",
	  TEXT("{\"context\":{\"date\":\"2019\"},\"benchmarks\":[{\"name\":\"BM/"
	       "1\",\"iterations\":100,\"real_time\":1.5,\"time_unit\":\"ns\"},{\"name\":\"BM/"
	       "2\",\"iterations\":50,\"real_time\":2.5,\"time_unit\":\"ns\",\"label\":\"x, "
	       "y\"}]}"),
	  "", "name w, iterations n, real_time n, time_unit w, label w -1", 2, "BM/1|100|1.5|ns|",
	  "BM/2|50|2.5|ns|x, y",
	  "t: results of Google Benchmark in JSON: a row for each benchmark\n" },
	{ "hyperfine in JSON",
	  TEXT("{\"results\":[{\"command\":\"a "
	       "1\",\"mean\":0.2,\"times\":[0.1,0.3],\"parameters\":{\"n\":\"1\"}},{\"command\":"
	       "\"a 2\",\"mean\":0.4,\"times\":[0.4,0.5],\"parameters\":{\"n\":\"2\"}}]}"),
	  "", "command w, n n, time n", 4, "a 1|1|0.1", "a 2|2|0.5",
	  "t: results of hyperfine in JSON: a row for each time, in seconds\n" },
	{ "hyperfine in CSV",
	  TEXT("command,mean,stddev,median,user,system,min,max,parameter_n\n"
	       "a 1,0.2,0.01,0.2,0.1,0.1,0.19,0.21,1\n"
	       "a 2,0.4,0.01,0.4,0.2,0.2,0.39,0.41,2\n"),
	  "",
	  "command w, mean n, stddev n, median n, user n, system n, min n, max n, parameter_n n", 2,
	  "a 1|0.2|0.01|0.2|0.1|0.1|0.19|0.21|1", "a 2|0.4|0.01|0.4|0.2|0.2|0.39|0.41|2", "" },
	{ "a list of objects", TEXT("[{\"k\":\"a\",\"ns\":1.5},{\"k\":\"b\",\"ns\":2}]"), "",
	  "k w, ns n", 2, "a|1.5", "b|2", "t: a list of objects in JSON: a row for each\n" },
	{ "LIKWID",
	  TEXT("TABLE,Group 1 Raw,FLOPS_DP,4,,\n"
	       "Event,Counter,Core 0,Core 1,,\n"
	       "INSTR,FIXC0,100,200,,\n"
	       "CLK,FIXC1,300,400,,\n"
	       "CLKREF,FIXC2,310,410,,\n"
	       "TABLE,Group 1 Metric,FLOPS_DP,2,,\n"
	       "Metric,Core 0,Core 1,,,\n"
	       "Runtime [s],0.5,0.6,,,\n"
	       "CPI,1.5,1.6,,,\n"),
	  "", "Event w, Counter w, Core 0 n, Core 1 n", 3, "INSTR|FIXC0|100|200",
	  "CLKREF|FIXC2|310|410",
	  "t: table 1 of 2: 1 Group 1 Raw FLOPS_DP, 2 Group 1 Metric FLOPS_DP\n" },
	{ "LIKWID, the second table",
	  TEXT("TABLE,Group 1 Raw,FLOPS_DP,4,,\n"
	       "Event,Counter,Core 0,Core 1,,\n"
	       "INSTR,FIXC0,100,200,,\n"
	       "CLK,FIXC1,300,400,,\n"
	       "CLKREF,FIXC2,310,410,,\n"
	       "TABLE,Group 1 Metric,FLOPS_DP,2,,\n"
	       "Metric,Core 0,Core 1,,,\n"
	       "Runtime [s],0.5,0.6,,,\n"
	       "CPI,1.5,1.6,,,\n"),
	  "table:2", "Metric w, Core 0 n, Core 1 n", 2, "Runtime [s]|0.5|0.6", "CPI|1.5|1.6",
	  "t: table 2 of 2: 1 Group 1 Raw FLOPS_DP, 2 Group 1 Metric FLOPS_DP\n" },
	{ "two tables",
	  TEXT("Times\n"
	       "\n"
	       "k,ns\n"
	       "a,1.5\n"
	       "b,2.5\n"
	       "c,3.5\n"
	       "\n"
	       "Rates\n"
	       "\n"
	       "k,n,rate\n"
	       "a,1,5\n"
	       "b,2,6\n"),
	  "", "k w, ns n", 3, "a|1.5", "c|3.5", "t: table 1 of 2: 1 Times, 2 Rates\n" },
	{ "two tables, one by its name",
	  TEXT("Times\n"
	       "\n"
	       "k,ns\n"
	       "a,1.5\n"
	       "b,2.5\n"
	       "c,3.5\n"
	       "\n"
	       "Rates\n"
	       "\n"
	       "k,n,rate\n"
	       "a,1,5\n"
	       "b,2,6\n"),
	  "table:rates", "k w, n n, rate n", 2, "a|1|5", "b|2|6",
	  "t: table 2 of 2: 1 Times, 2 Rates\n" },
	{ "empty lines between rows",
	  TEXT("k,ns\n"
	       "a,1.5\n"
	       "\n"
	       "b,2.5\n"
	       "\n"
	       "\n"
	       "c,3.5\n"),
	  "", "k w, ns n", 3, "a|1.5", "c|3.5", "" },
	{ "pandas",
	  TEXT(",k,ns\n"
	       "0,a,1.5\n"
	       "1,b,2.5\n"),
	  "", "column 1 n, k w, ns n", 2, "0|a|1.5", "1|b|2.5",
	  "t:1: column 1 has no name: it is called \"column 1\"\n" },
	{ "R",
	  TEXT("\"k\" \"ns\"\n"
	       "\"1\" \"a\" 1.5\n"
	       "\"2\" \"b\" 2.5\n"),
	  "", "row n, k w, ns n", 2, "1|a|1.5", "2|b|2.5",
	  "t: blanks separate the cells; the first column has no name: it is called row\n" },
	{ "R with commas",
	  TEXT("\"\",\"k\",\"ns\"\n"
	       "\"1\",\"a\",1.5\n"
	       "\"2\",\"b\",NA\n"),
	  "", "column 1 n, k w, ns n -1", 2, "1|a|1.5", "2|b|",
	  "t:3: 1 of 2 cells of ns (column 3) is not a number: NA\n"
	  "t:1: column 1 has no name: it is called \"column 1\"\n" },
	{ "gnuplot",
	  TEXT("# size time\n"
	       "1 0.5\n"
	       "2 0.7\n"),
	  "", "size n, time n", 2, "1|0.5", "2|0.7", "t: blanks separate the cells\n" },
	{ "comments",
	  TEXT("# by hand\n"
	       "# twice\n"
	       "k,ns\n"
	       "a,1.5\n"
	       "# a pause\n"
	       "b,2.5\n"),
	  "", "k w, ns n", 2, "a|1.5", "b|2.5", "t: 1 comment (#) is left out\n" },
	{ "a title above",
	  TEXT("Results of Monday\n"
	       "k,ns\n"
	       "a,1.5\n"
	       "b,2.5\n"),
	  "", "k w, ns n", 2, "a|1.5", "b|2.5",
	  "t: the table begins on line 2, and 1 line above it is left out\n" },
	{ "a wide title",
	  TEXT("Run on a, b, c and d, again\n"
	       "k,ns\n"
	       "a,1.5\n"
	       "b,2.5\n"
	       "c,3.5\n"),
	  "", "k w, ns n", 3, "a|1.5", "c|3.5",
	  "t: the table begins on line 2, and 1 line above it is left out\n" },
	{ "skipped lines",
	  TEXT("x,y\n"
	       "1,2\n"
	       "k,ns\n"
	       "a,1.5\n"
	       "b,2.5\n"),
	  "skip:2", "k w, ns n", 2, "a|1.5", "b|2.5", "" },
	{ "a separator by wish",
	  TEXT("k:ns\n"
	       "a:1.5\n"
	       "b:2.5\n"),
	  "sep::", "k w, ns n", 2, "a|1.5", "b|2.5", "t: \":\" separates the cells\n" },
	{ "decimals by wish",
	  TEXT("k;ns\n"
	       "a;1,500\n"
	       "b;2,500\n"),
	  "decimal:point", "k w, ns n", 2, "a|1500", "b|2500",
	  "t: semicolons separate the cells; commas separate thousands (1,235 is 1235)\n" },
	{ "one column",
	  TEXT("ns\n"
	       "1.5\n"
	       "2.5\n"),
	  "", "ns n", 2, "1.5", "2.5", "" },
	{ "one column of text",
	  TEXT("x\n"
	       "foo bar\n"
	       "baz qux\n"),
	  "", "x w", 2, "foo bar", "baz qux", "" },
	{ "no values",
	  TEXT("k,l\n"
	       "a,\n"
	       "b,\n"),
	  "", "k w, l n -2", 2, "a|", "b|", "" },
	{ "infinite",
	  TEXT("k,x\n"
	       "a,1\n"
	       "b,inf\n"
	       "c,3\n"),
	  "", "k w, x n -1", 3, "a|1", "c|3",
	  "t:3: \"x\" is not a finite number: it counts as missing\n" },
	{ "quotes",
	  TEXT("k,\"a, \"\"b\"\"\"\n"
	       "\"x\n"
	       "y\",1\n"
	       "z,2\n"),
	  "", "k w, a, \"b\" n", 2, "x\?y|1", "z|2", "" },
	{ "columns of one name",
	  TEXT("t,t\n"
	       "1,2\n"
	       "3,4\n"),
	  "", "t n, t (2) n", 2, "1|2", "3|4",
	  "t:1: another column is called \"t\": column 2 is \"t (2)\"\n" },
};

static const char overrides[] = " (mine.read overrides this)";

static void add_columns(const struct tp_frame *frame, struct tp_str *out)
{
	for (size_t i = 0; i < frame->n_columns; i++) {
		const struct tp_frame_column *column = &frame->columns[i];
		tp_str_printf(out, "%s%s %c", i ? ", " : "", column->name,
			      column->is_words ? 'w' : 'n');
		if (column->unit)
			tp_str_printf(out, "[%s]", column->unit);
		if (column->n_missing)
			tp_str_printf(out, " -%zu", column->n_missing);
	}
}

static void add_row(const struct tp_frame *frame, size_t row, struct tp_str *out)
{
	char cell[256];
	for (size_t i = 0; i < frame->n_columns; i++)
		tp_str_printf(out, "%s%s", i ? "|" : "",
			      tp_frame_cell(&frame->columns[i], row, cell, sizeof(cell)));
}

static void add_notes(const struct tp_frame *frame, struct tp_str *out)
{
	for (size_t i = 0; i < frame->notes.n; i++) {
		const struct tp_diag *note = &frame->notes.items[i];
		size_t n = strlen(note->what);
		if (tp_ends_with(note->what, overrides))
			n -= strlen(overrides);
		tp_str_printf(out, "%s: %.*s\n", note->where, (int)n, note->what);
	}
}

static void is(const struct table *table, const char *what, struct tp_str *got, const char *want)
{
	if (strcmp(tp_str_text(got), want) != 0)
		fail_msg("%s: %s: \"%s\", not \"%s\"", table->name, what, tp_str_text(got), want);
	tp_str_clear(got);
}

static void check(const struct table *table)
{
	struct tp_frame frame = { 0 };
	struct tp_diag diag = { 0 };
	struct tp_written_wish wish = { 0 };
	TP_STR got = { 0 };
	if (*table->wish)
		assert_int_equal(tp_written_wish_read(&wish, table->wish, &diag), TP_OK);
	if (tp_frame_read_text(&frame, "t", table->text, table->len, &wish, &diag))
		fail_msg("%s: %s: %s", table->name, diag.where, diag.what);
	add_columns(&frame, &got);
	is(table, "columns", &got, table->columns);
	assert_int_equal(frame.n_rows, table->rows);
	add_row(&frame, 0, &got);
	is(table, "first row", &got, table->first);
	add_row(&frame, frame.n_rows - 1, &got);
	is(table, "last row", &got, table->last);
	add_notes(&frame, &got);
	is(table, "notes", &got, table->notes);
	tp_frame_release(&frame);
}

static void test_tables_of_other_programs(void **state)
{
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(tables); i++)
		check(&tables[i]);
}

/* Beyond the first MiB, which the look sees, the rows are read as it decided. */
static void test_large_tables(void **state)
{
	(void)state;
	enum { ROWS = 200000 };
	struct tp_frame frame = { 0 };
	struct tp_diag diag = { 0 };
	TP_STR text = { 0 };
	tp_str_add(&text, "n;ms\r\n");
	for (unsigned i = 0; i < ROWS; i++)
		tp_str_printf(&text, "%u;%u,25\r\n", i, i % 1000);
	tp_str_add(&text, "1;DNF\r\n1;2;3\r\n");
	assert_int_equal(tp_frame_read_text(&frame, "t", text.s, text.len, NULL, &diag), TP_OK);
	assert_int_equal(frame.n_rows, ROWS + 1);
	assert_int_equal(frame.n_left_out, 1);
	assert_true(frame.columns[1].numbers[ROWS - 1] == 999.25);
	assert_int_equal(frame.columns[1].n_missing, 1);
	tp_frame_release(&frame);
}

/* A file of two columns whose second one is in ASCII up to a row, and then in Windows-1252. */
static void read_late(const char *name, unsigned late, struct tp_frame *frame)
{
	enum { ROWS = 300000 };
	char folder[] = "/tmp/tprof-tables-XXXXXX", path[TP_PATH_MAX], cell[64];
	struct tp_diag diag = { 0 };
	TP_STR text = { 0 };
	tp_str_printf(&text, "n;%s\r\n", name);
	for (unsigned i = 0; i < ROWS; i++)
		tp_str_printf(&text, "%u;%s%u\r\n", i, i < late ? "E" : "\200", i % 1000);
	assert_non_null(mkdtemp(folder));
	put_file(folder, "t.csv", text.s);
	snprintf(path, sizeof(path), "%s/t.csv", folder);
	*frame = (struct tp_frame){ 0 };
	assert_int_equal(tp_frame_read_csv(frame, path, NULL, &diag), TP_OK);
	assert_int_equal(frame->n_rows, ROWS);
	assert_int_equal(frame->n_left_out, 0);
	for (size_t i = 0; i < ROWS; i++) {
		assert_true(frame->columns[0].numbers[i] == (double)i);
		tp_frame_cell(&frame->columns[1], i, cell, sizeof(cell));
		assert_int_equal(strncmp(cell, i < late ? "E" : "\342\202\254", i < late ? 1 : 3),
				 0);
	}
	assert_int_equal(remove_tree(folder), 0);
}

/* A file is decoded as it is read, in parts. */
static void test_large_files_in_windows_1252(void **state)
{
	(void)state;
	struct tp_frame frame;
	read_late("\265s", 0, &frame);
	assert_string_equal(frame.columns[1].name, "\302\265s");
	assert_int_equal(frame.columns[1].n_words, 1000);
	assert_non_null(strstr(frame.notes.items[0].what, "the text is Windows-1252"));
	tp_frame_release(&frame);
	/* Beyond the first megabyte, which is ASCII. */
	read_late("us", 250000, &frame);
	assert_int_equal(frame.columns[1].n_words, 2000);
	assert_non_null(strstr(frame.notes.items[frame.notes.n - 1].what,
			       "begin here: the text is Windows-1252"));
	tp_frame_release(&frame);
}

static void refused(const char *text, const char *item, const char *where, const char *what,
		    const char *hint)
{
	struct tp_frame frame = { 0 };
	struct tp_diag diag = { 0 };
	struct tp_written_wish wish = { 0 };
	enum tp_status status = tp_written_wish_read(&wish, item, &diag);
	if (status == TP_OK)
		status = tp_frame_read_text(&frame, "t", text, strlen(text), &wish, &diag);
	assert_int_equal(status, TP_USAGE);
	assert_string_equal(diag.where, where);
	assert_non_null(strstr(diag.what, what));
	assert_non_null(strstr(diag.hint, hint));
	assert_null(frame.columns);
}

static void test_refusals(void **state)
{
	(void)state;
	static const char two[] = "Times\n\nk,ns\na,1\nb,2\n\nRates\n\nk,n,rate\na,1,5\n";
	refused("a,b\n1,2\n", "encoding:ebcdic", "mine.read", "encoding:ebcdic", "windows-1252");
	refused("a,b\n1,2\n", "sep:", "mine.read", "\"sep:\" is not allowed", "sep:comma");
	refused("a,b\n1,2\n", "comma", "mine.read", "\"comma\"", "decimal:comma");
	refused("a,b\n1,2\n", "header:maybe", "mine.read", "header:maybe", "yes or no");
	refused("a,b\n1,2\n", "skip:-1", "mine.read", "skip:-1", "skip:LINES");
	refused(two, "table:3", "t", "has no table \"3\"", "1 Times, 2 Rates");
	refused("{\"a\": [}", "skip:0", "t:1", "broken JSON", "");
	refused("{\"a\": 1}", "skip:0", "t", "holds no table", "benchmarks");
	refused("TABLE,a\n", "skip:0", "t:1", "no rows", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables_of_other_programs),
		cmocka_unit_test(test_large_tables),
		cmocka_unit_test(test_large_files_in_windows_1252),
		cmocka_unit_test(test_refusals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
