# Answers a shell beside it: what `stat` says of a file, and moves. Each question is a letter
# with a path, ended by NUL; each answer is a line, which is empty where nothing can be said.
my ($statx) = @ARGV;
$/ = "\0";
$| = 1;

sub at {
  my ($seconds, $nanoseconds) = @_;
  my @t = gmtime $seconds;
  sprintf "%d-%02d-%02d %02d:%02d:%02d.%09d +0000", $t[5] + 1900, $t[4] + 1, @t[3, 2, 1, 0], $nanoseconds;
}

sub told {
  my ($path, $follow, $short) = @_;
  my $raw = "\0" x 256;
  return "" if syscall($statx, -100, $path, $follow ? 0 : 0x100, 0x7ff, $raw) != 0;
  # struct statx of linux/stat.h
  my ($user, $group, $mode, $file, $size, $cs, $cn, $ms, $mn, $major, $minor) =
    unpack "x20 L L S x2 Q Q x48 q L x4 q L x12 L L", $raw;
  my $device = ($major & ~0xfff) << 32 | ($major & 0xfff) << 8 | ($minor & ~0xff) << 12 | $minor & 0xff;
  my ($modified, $changed) = (at($ms, $mn), at($cs, $cn));
  return sprintf "%o %d:%s %s %s %s", $mode & 07777, $device, $file, $size, $modified, $changed if $short;
  sprintf "//%x %s %d %d %d:%s %s %s//", $mode, $size, $user, $group, $device, $file, $modified, $changed;
}

while (defined(my $path = <STDIN>)) {
  chomp $path;
  my $letter = substr $path, 0, 1, "";
  my $answer = "";
  if ($letter eq "N") { $answer = told($path, 0, 0) }
  elsif ($letter eq "L") { $answer = told($path, 1, 0) }
  elsif ($letter eq "C") { $answer = told($path, 0, 1) }
  elsif (defined(my $to = <STDIN>)) {
    chomp $to;
    if ($letter eq "R") { $answer = rename($path, $to) ? 1 : "" }
    elsif ($letter eq "A" && link $path, $to) {
      unlink $path;
      $answer = 1;
    }
  }
  print "$answer\n";
}
