# formula.rb FORMULA TARBALL PREFIX - does what Homebrew would with a formula, as far as that can be done without it: unpacks the tarball,
# whose checksum must be the formula's, runs `install` with PREFIX, and the test.
require "digest"
require "fileutils"
require "pathname"
require "tmpdir"

class Formula
  @facts = {}
  class << self
    attr_reader :facts, :tests

    def inherited(child)
      super
      child.instance_variable_set(:@facts, { "depends_on" => [] })
      @last = child
    end

    attr_reader :last

    %w[desc homepage url version sha256 license].each do |name|
      define_method(name) { |value| facts[name] = value }
    end

    def depends_on(what)
      facts["depends_on"] << what
    end

    def on_macos; end

    def test(&block)
      @tests = block
    end
  end

  attr_reader :testpath

  def initialize(prefix, testpath)
    @prefix = prefix
    @testpath = Pathname.new(testpath)
  end

  def bin
    "#{@prefix}/bin"
  end

  def std_cmake_args
    ["-DCMAKE_INSTALL_PREFIX=#{@prefix}", "-DCMAKE_INSTALL_LIBDIR=lib", "-DCMAKE_BUILD_TYPE=Release"]
  end

  def system(*command)
    Kernel.system(*command, out: File::NULL) || abort("failed: #{command.join(" ")}")
  end

  def shell_output(command)
    output = Dir.chdir(testpath) { `#{command}` }
    $?.success? || abort("failed: #{command}")
    output
  end

  def assert_match(text, output)
    output.include?(text) || abort("'#{text}' is not in: #{output}")
  end
end

formula, tarball, prefix = ARGV
load formula
facts = Formula.last.facts
%w[desc homepage url version sha256 license].each { |name| facts[name] || abort("the formula has no #{name}") }
facts["desc"].length <= 80 || abort("desc is longer than Homebrew allows")
facts["sha256"] == Digest::SHA256.file(tarball).hexdigest || abort("sha256 is not that of #{tarball}")
Dir.mktmpdir do |scratch|
  Kernel.system("tar", "-xf", File.expand_path(tarball), "-C", scratch, "--strip-components=1") || abort
  FileUtils.mkdir("#{scratch}/try")
  made = Formula.last.new(File.expand_path(prefix), "#{scratch}/try")
  Dir.chdir(scratch) { made.install }
  made.instance_eval(&Formula.last.tests)
end
puts "formula.rb: #{formula} installs, and its test passes"
